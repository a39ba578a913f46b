// URIs of the protocol extensions that both halves know: the one that offers them and the one that makes use of them.

/** A message sent again under the same messageId is answered by its first task. */
export const IDEMPOTENT_SEND = 'urn:a2a-switchboard:ext:idempotent-send:v1';
