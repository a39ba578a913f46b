// Whether what callers and runs hand over are parts and artifacts, with members of the right types: what is stored is read
// for as long as its task stays, by bindings that could write nothing else. Pure.
import type { Artifact, Part } from '../a2a-model.js';
import { isObject } from '../read-json.js';

const KINDS = ['text', 'data', 'blob', 'url'] as const;

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isObjectOrAbsent = (value: unknown): boolean => value === undefined || isObject(value);

export function isPart(value: unknown): value is Part {
  if (typeof value !== 'object' || value === null) return false;
  const part = value as Record<string, unknown>;
  const [kind, ...more] = KINDS.filter((name) => name in part);
  if (kind === undefined || more.length > 0) return false;
  if (kind === 'data' ? part[kind] === undefined : typeof part[kind] !== 'string') return false;
  if (kind === 'blob' && !Number.isSafeInteger(part['size'])) return false;
  return isTextOrAbsent(part['filename']) && isTextOrAbsent(part['mediaType']) && isObjectOrAbsent(part['metadata']);
}

export const areParts = (value: unknown): value is Part[] => Array.isArray(value) && value.every(isPart);

export function isArtifact(value: Artifact | undefined): value is Artifact {
  if (typeof value?.artifactId !== 'string' || value.artifactId === '') return false;
  const { name, description, metadata } = value;
  if (!isTextOrAbsent(name) || !isTextOrAbsent(description) || !isObjectOrAbsent(metadata)) return false;
  return areParts(value.parts) && value.parts.length > 0;
}
