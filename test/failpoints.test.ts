import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FAILPOINTS, Failpoints } from '../src/failpoints.js';

const die = (): never => {
  throw new Error('died');
};

describe('failpoints', () => {
  it('kill at the armed pass and at no other', () => {
    const points = new Failpoints('blob.after-temp:3', die);
    points.hit('blob.after-temp');
    points.hit('blob.after-rename');
    points.hit('blob.after-temp');
    expect(() => points.hit('blob.after-temp')).toThrow('died');
  });

  it('kill at the first pass when no number is given', () => {
    expect(() => new Failpoints('segment.created', die).hit('segment.created')).toThrow('died');
  });

  it('do nothing when unarmed', () => {
    const points = new Failpoints(undefined, die);
    for (const point of FAILPOINTS) points.hit(point);
  });

  it.each(['nowhere', 'segment.created:0', 'segment.created:x', 'segment.created:1:2', ''])('refuse "%s"', (spec) => {
    expect(() => new Failpoints(spec)).toThrow(expect.objectContaining({ code: 'config' }));
  });

  it('end the process with SIGKILL, and nothing runs after that', () => {
    const script = `
      import { Failpoints } from './src/failpoints.ts';
      process.on('exit', () => console.log('exit handler'));
      console.log('before');
      new Failpoints('segment.created').hit('segment.created');
      console.log('after');`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    const { signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: process.cwd() });
    expect({ signal, stdout, stderr }).toEqual({ signal: 'SIGKILL', stdout: 'before\n', stderr: '' });
  });

  it('are each passed at exactly one place of the source', () => {
    const sources = ['src', 'plugins'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && file !== 'failpoints.ts')
        .map((file) => readFileSync(join(folder, file), 'utf8')),
    );
    const text = sources.join('\n');
    const passes = Object.fromEntries(FAILPOINTS.map((point) => [point, text.split(`'${point}'`).length - 1]));
    expect(passes).toEqual(Object.fromEntries(FAILPOINTS.map((point) => [point, 1])));
  });
});
