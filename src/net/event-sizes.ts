// How large the events of a server-sent stream get, counted without reading them: a stream may go on for ever, one event
// must not, since whoever reads it keeps it in memory until its end.

const LF = 0x0a;
const CR = 0x0d;

export class EventSizes {
  private size = 0;
  /** Line ends that came directly one after the other; two end an event. CR and LF together are one. */
  private lineEnds = 0;
  private last = 0;

  /** The size of the largest event so far that reaches into this piece, in bytes. */
  add(chunk: Uint8Array): number {
    let largest = 0;
    for (const byte of chunk) {
      this.size++;
      if (byte === LF && this.last === CR) {
        this.last = byte;
        continue;
      }
      this.last = byte;
      this.lineEnds = byte === LF || byte === CR ? this.lineEnds + 1 : 0;
      if (this.lineEnds < 2) continue;
      largest = Math.max(largest, this.size);
      this.size = 0;
      this.lineEnds = 0;
    }
    return Math.max(largest, this.size);
  }
}
