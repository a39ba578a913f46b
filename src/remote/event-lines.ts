// Server-sent events out of bytes, by the standard: any of the three line ends, also split between two pieces, several
// data lines in one event; and nothing else ends a line. Pure but for its buffer.

export interface ServerEvent {
  /** `message` where the event names none. */
  type: string;
  data: string;
}

export class EventLines {
  private readonly decoder = new TextDecoder('utf-8');
  /** The open line, in pieces: joined once, however many there are. */
  private open: string[] = [];
  /** True after a carriage return: a line feed that follows belongs to it. */
  private returned = false;
  private type = '';
  private data: string[] = [];

  /** The events that these bytes complete. */
  add(bytes: Uint8Array): ServerEvent[] {
    return this.read(this.decoder.decode(bytes, { stream: true }));
  }

  /** The end: what is complete but for its blank line, which some servers leave out. */
  end(): ServerEvent[] {
    return this.read(`${this.decoder.decode()}\n\n`);
  }

  private read(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    let start = this.returned && text.startsWith('\n') ? 1 : 0;
    if (text !== '') this.returned = text.endsWith('\r');
    const lineEnd = /\r\n|\n|\r/g;
    lineEnd.lastIndex = start;
    for (let match = lineEnd.exec(text); match; match = lineEnd.exec(text)) {
      this.open.push(text.slice(start, match.index));
      const event = this.line(this.open.splice(0).join(''));
      if (event) events.push(event);
      start = lineEnd.lastIndex;
    }
    if (start < text.length) this.open.push(text.slice(start));
    return events;
  }

  private line(line: string): ServerEvent | undefined {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.type = value;
    return undefined;
  }

  private dispatch(): ServerEvent | undefined {
    const { type, data } = this;
    this.type = '';
    this.data = [];
    return data.length === 0 ? undefined : { type: type || 'message', data: data.join('\n') };
  }
}
