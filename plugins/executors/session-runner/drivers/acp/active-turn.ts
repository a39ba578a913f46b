// One turn of an ACP session while it runs: what it shows, and the first thing that ends it.
import type { DriverEvent, DriverTurn, TurnEnd } from '../../../../../src/authoring/driver.js';
import { TurnOutput } from './turn-output.js';

/** What ends a turn, whichever comes first. */
type Stop =
  /** The prompt was answered, or broke. */
  | { why: 'settled' }
  /** A session tool asks for this end. */
  | { why: 'tool'; end: TurnEnd }
  /** The operator is to decide. */
  | { why: 'permission'; question: string }
  | { why: 'abort' };

export class ActiveTurn {
  readonly output: TurnOutput;
  /** Resolves to the first stop. */
  readonly stopped: Promise<Stop>;
  private first: Stop | undefined;
  private resolve: (stop: Stop) => void = () => undefined;

  constructor(
    readonly turn: DriverTurn,
    emit: (event: DriverEvent) => void,
  ) {
    // What an agent goes on to say after the turn's end was decided is not part of the turn.
    this.output = new TurnOutput((event) => this.first === undefined && emit(event));
    this.stopped = new Promise((resolve) => (this.resolve = resolve));
    turn.signal.addEventListener('abort', () => this.stop({ why: 'abort' }), { once: true });
  }

  /** True once something has ended it. */
  get over(): boolean {
    return this.first !== undefined;
  }

  stop(stop: Stop): void {
    if (this.first !== undefined) return;
    this.output.endMessage();
    this.first = stop;
    this.resolve(stop);
  }
}
