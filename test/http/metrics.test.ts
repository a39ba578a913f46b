import { describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/http/metrics.js';

describe('metrics', () => {
  it('are written in the text format, with help and type', () => {
    const metrics = new Metrics();
    const asked = metrics.counter('asked_total', 'Questions.', { rule: ['a', 'b'], how: ['x'] });
    asked.add(['a', 'x']);
    asked.add(['a', 'x'], 2);
    metrics.gauge('open', 'Open ones.', () => 4);
    metrics.gauges('live', 'Live ones.', 'state', () => [
      ['working', 2],
      ['submitted', 0],
    ]);
    expect(metrics.text()).toBe(
      [
        '# HELP asked_total Questions.',
        '# TYPE asked_total counter',
        'asked_total{rule="a",how="x"} 3',
        '# HELP open Open ones.',
        '# TYPE open gauge',
        'open 4',
        '# HELP live Live ones.',
        '# TYPE live gauge',
        'live{state="working"} 2',
        'live{state="submitted"} 0',
        '',
      ].join('\n'),
    );
  });

  it('have no more series than their labels have values, whatever is counted', () => {
    const metrics = new Metrics();
    const asked = metrics.counter('asked_total', 'Questions.', { rule: ['a'] });
    for (let i = 0; i < 1000; i++) asked.add([`caller-${i}"} evil 1\n`]);
    asked.add(['a']);
    expect(metrics.text().split('\n').slice(2, -1)).toEqual([
      'asked_total{rule="other"} 1000',
      'asked_total{rule="a"} 1',
    ]);
  });

  it('begin at zero where there is no label', () => {
    const metrics = new Metrics();
    metrics.counter('failures_total', 'Failures.');
    expect(metrics.text()).toContain('\nfailures_total 0\n');
  });

  it('have names that are theirs alone', () => {
    const metrics = new Metrics();
    metrics.gauge('open', 'Open ones.', () => 0);
    expect(() => metrics.gauge('open', 'Others.', () => 0)).toThrow('two metrics');
    expect(() => metrics.gauge('not a name', 'x', () => 0)).toThrow('no name');
  });
});
