// How the chunks of a streamed artifact become one (A2A 1.0 §4.2.2). Pure.
import type { Artifact, Part } from '../a2a-model.js';

/**
 * The artifacts with a chunk taken in: appended to the artifact of its id, else put in its place or added. An append to
 * an unknown id creates it (A2A leaves that open). Plain text appended to plain text stays one part.
 */
export function mergeArtifact(artifacts: readonly Artifact[], chunk: Artifact, append: boolean): Artifact[] {
  const at = artifacts.findIndex((artifact) => artifact.artifactId === chunk.artifactId);
  const known = artifacts[at];
  if (!known) return [...artifacts, chunk];
  const merged: Artifact = append ? { ...known, ...chunk, parts: appendParts(known.parts, chunk.parts) } : chunk;
  return artifacts.with(at, merged);
}

function appendParts(before: readonly Part[], added: readonly Part[]): Part[] {
  const parts = [...before];
  for (const part of added) {
    const last = parts.at(-1);
    if (last && isPlainText(last) && isPlainText(part)) parts[parts.length - 1] = { text: last.text + part.text };
    else parts.push(part);
  }
  return parts;
}

const isPlainText = (part: Part): part is { text: string } => 'text' in part && Object.keys(part).length === 1;
