// A promise where an answer was due at once, as an `async` function of somebody else's gives it.

/** True for one. What it comes to is dropped: rejected and unheard, it would end the process, a host program's too. */
export function isUnaskedPromise(value: unknown): boolean {
  if (typeof (value as PromiseLike<unknown> | null | undefined)?.then !== 'function') return false;
  Promise.resolve(value).catch(() => undefined);
  return true;
}
