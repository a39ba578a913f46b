import { Slots } from '../../../plugins/followers/push-dispatcher/slots.js';

/** Work that ends when the test says so. */
class Works {
  readonly started: string[] = [];
  private readonly ends = new Map<string, () => void>();
  readonly done: Promise<unknown>[] = [];

  constructor(private readonly slots: Slots) {}

  begin(caller: string, name: string): void {
    const work = (): Promise<void> => {
      this.started.push(name);
      return new Promise((resolve) => this.ends.set(name, resolve));
    };
    this.done.push(this.slots.run(caller, work));
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    for (let i = 0; i < 10; i++) await Promise.resolve();
  }
}

describe('slots', () => {
  it('bound what runs at once, and start what waits in order', async () => {
    const works = new Works(new Slots(2, 2));
    for (const name of ['a', 'b', 'c', 'd']) works.begin(name, name);
    expect(works.started).toEqual(['a', 'b']);
    await works.end('b');
    expect(works.started).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c', 'd']) await works.end(name);
    await Promise.all(works.done);
    expect(works.started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('let no caller wait for another whose work hangs', async () => {
    const works = new Works(new Slots(10, 2));
    for (const name of ['e1', 'e2', 'e3', 'e4']) works.begin('eve', name);
    works.begin('ann', 'a1');
    expect(works.started).toEqual(['e1', 'e2', 'a1']);
    await works.end('e1');
    expect(works.started).toEqual(['e1', 'e2', 'a1', 'e3']);
    await works.end('a1');
    expect(works.started).toEqual(['e1', 'e2', 'a1', 'e3']);
  });

  it('are given back when work fails', async () => {
    const slots = new Slots(1, 1);
    await expect(slots.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run('a', async () => 'yes')).toBe('yes');
  });
});
