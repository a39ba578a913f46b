// What the bench reports: figures with goals. A figure that could not be measured says so and is not ok.

export interface Figure {
  name: string;
  ours: number | null;
  theirs: number | null;
  /** What the goal is about: theirs / ours for costs, ours / theirs for speed, or ours alone. */
  ratio: number | null;
  goal: string;
  ok: boolean;
  /** Unit of `ours` and `theirs`, and anything a reader must know. Not part of the JSON line. */
  note: string;
}

export interface BenchOptions {
  /** Length of one measured window. */
  seconds: number;
  rounds: number;
  /** Progress, for people. */
  say(text: string): void;
}

/** A group of figures that are measured together. */
export interface Group {
  name: string;
  /** Names of its figures, for `--only`. */
  figures: readonly string[];
  /** False: only on request. */
  byDefault: boolean;
  run(options: BenchOptions): Promise<Figure[]>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Ours must be at least `factor` times as good: `better` says whether more or less is good. */
export function compare(
  name: string,
  ours: number,
  theirs: number,
  better: 'more' | 'less',
  factor: number,
  note: string,
): Figure {
  const ratio = better === 'more' ? ours / theirs : theirs / ours;
  return { name, ours, theirs, ratio, goal: `>= ${factor}x`, ok: ratio >= factor, note };
}

/** `ours` may be at most `factor` times `theirs`. */
export function within(name: string, ours: number, theirs: number, factor: number, note: string): Figure {
  const ratio = ours / theirs;
  return { name, ours, theirs, ratio, goal: `<= ${factor}x`, ok: ratio <= factor, note };
}

/** `ours` may be at most `limit`, compared with nobody. */
export function atMost(name: string, ours: number, limit: number, unit: string): Figure {
  return { name, ours, theirs: null, ratio: null, goal: `<= ${limit} ${unit}`, ok: ours <= limit, note: unit };
}

export function notMeasured(name: string, ours: number | null, goal: string, why: string): Figure {
  return { name, ours, theirs: null, ratio: null, goal, ok: false, note: `not measured: ${why}` };
}

/**
 * Runs `measure` on each subject once per round, in an order that turns with the round, so that a slow spell of the
 * machine meets all of them alike. Returns each subject's results, in the order of the subjects.
 */
export async function alternate<S, R>(
  rounds: number,
  subjects: readonly S[],
  measure: (subject: S, round: number) => Promise<R>,
): Promise<R[][]> {
  const results: R[][] = subjects.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < subjects.length; i++) {
      const turn = (i + round) % subjects.length;
      results[turn]?.push(await measure(subjects[turn] as S, round));
    }
  }
  return results;
}
