// Text as a URL. Not by `URL.canParse`: on Node 20 its compiled form takes names with letters beyond ASCII for unusable.

export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
