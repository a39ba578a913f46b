// What a verification found wrong, counted as the harness reports it, with a sentence for each.

export const KINDS = ['lost', 'regressed', 'unreadable', 'unreconciled', 'mirrorDrift', 'untold'] as const;
export type Kind = (typeof KINDS)[number];

export class Findings {
  private readonly found: Record<Kind, string[]> = {
    lost: [],
    regressed: [],
    unreadable: [],
    unreconciled: [],
    mirrorDrift: [],
    untold: [],
  };

  /** Told of each at once: a run takes long. */
  constructor(private readonly say: (text: string) => void = () => undefined) {}

  add(kind: Kind, what: string): void {
    this.found[kind].push(what);
    this.say(`${kind}: ${what}`);
  }

  count(kind: Kind): number {
    return this.found[kind].length;
  }

  get clean(): boolean {
    return KINDS.every((kind) => this.count(kind) === 0);
  }

  /** All sentences, each with its kind. */
  list(): string[] {
    return KINDS.flatMap((kind) => this.found[kind].map((what) => `${kind}: ${what}`));
  }
}
