/** Milliseconds for which an accepted message is recognised when it is sent again: a day. */
export const MESSAGE_LIFE = 24 * 60 * 60 * 1000;
