import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { PermissionDesk } from '../../../../plugins/executors/session-runner/drivers/acp/permission-desk.js';
import {
  CANCELLED,
  decide,
  questionOf,
  touchesOwnFiles,
} from '../../../../plugins/executors/session-runner/drivers/acp/permissions.js';

const option = (kind: PermissionOption['kind'], optionId: string = kind): PermissionOption => ({
  kind,
  optionId,
  name: kind,
});
const ALL = [option('allow_always'), option('reject_always'), option('allow_once'), option('reject_once')];
const request = (toolCall: object, options = ALL): RequestPermissionRequest => ({
  sessionId: 's',
  toolCall: { toolCallId: 't', ...toolCall },
  options,
});
const chosen = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

describe('a request for permission', () => {
  it('is answered with the narrowest option of the right kind, the first of several', () => {
    expect(decide(ALL, true)).toEqual(chosen('allow_once'));
    expect(decide(ALL, false)).toEqual(chosen('reject_once'));
    expect(decide([option('allow_always', 'a'), option('allow_always', 'b')], true)).toEqual(chosen('a'));
    expect(decide([option('allow_once')], false)).toEqual(CANCELLED);
    expect(decide([], true)).toEqual(CANCELLED);
  });

  it.each([
    [{ title: 'bash', kind: 'execute', rawInput: { command: 'rm -rf x', secret: 'no' } }, 'bash (rm -rf x)'],
    [{ title: 'Run rm', rawInput: { command: ['rm', '-rf', 'x'] } }, 'Run rm (rm -rf x)'],
    [{ title: 'Edit a.txt', rawInput: { path: 'a.txt', content: 'private' } }, 'Edit a.txt'],
    [{ kind: 'fetch', rawInput: { url: 'http://x' } }, 'fetch (http://x)'],
    [{}, 'use a tool'],
    [{ title: 'x'.repeat(2_000) }, 'x'.repeat(2_000)],
  ])('%# says what it is about and no more', (toolCall, words) => {
    expect(questionOf(request(toolCall))).toBe(`The agent asks for permission: ${words}`);
  });

  it('that is too long to be shown says so, and is not taken for another with the same beginning', () => {
    const [one, two] = ['ls', 'rm -r /'].map((end) => questionOf(request({ title: `${'true; '.repeat(500)}${end}` })));
    expect(one).toMatch(
      /^The agent asks for permission: true; .*\[cut: 1002 more characters are not shown, [0-9a-f]{16}\]$/,
    );
    expect(one).not.toBe(two);
  });

  it('is known for touching the switchboard’s own files wherever they are named', () => {
    expect(touchesOwnFiles(request({ locations: [{ path: '/w/.a2a/callers.json' }] }))).toBe(true);
    expect(touchesOwnFiles(request({ rawInput: { command: 'cat ./.A2A/x' } }))).toBe(true);
    expect(touchesOwnFiles(request({ title: 'read notes' }))).toBe(false);
  });
});

describe('the desk', () => {
  const signal = new AbortController().signal;

  it('asks the operator, one request after the other', async () => {
    const desk = new PermissionDesk('ask', false);
    const asked: string[] = [];
    const first = desk.request(request({ title: 'one' }), signal, (question) => void asked.push(question));
    const second = desk.request(request({ title: 'two' }), signal, (question) => void asked.push(question));
    expect(desk.waiting).toContain('one');
    desk.settle(true);
    expect(desk.waiting).toContain('two');
    desk.settle(false);
    expect([await first, await second]).toEqual([chosen('allow_once'), chosen('reject_once')]);
    expect(asked).toHaveLength(2);
    expect(desk.waiting).toBeUndefined();
  });

  it('grants what was approved earlier exactly once, and nothing else', async () => {
    const desk = new PermissionDesk('ask', false);
    desk.grantOnce(questionOf(request({ title: 'one' })));
    const waits = recorder();
    void desk.request(request({ title: 'two' }), signal, waits.call);
    expect(await desk.request(request({ title: 'one' }), signal, waits.call)).toEqual(chosen('allow_once'));
    void desk.request(request({ title: 'one' }), signal, waits.call);
    expect(waits.calls).toHaveLength(2);
  });

  it('forgets what the agent takes back, and cancels the rest at the end', async () => {
    const desk = new PermissionDesk('ask', false);
    const controller = new AbortController();
    const back = desk.request(request({ title: 'one' }), controller.signal, () => undefined);
    const open = desk.request(request({ title: 'two' }), signal, () => undefined);
    controller.abort();
    expect(desk.waiting).toContain('two');
    desk.cancelAll();
    expect([await back, await open]).toEqual([CANCELLED, CANCELLED]);
  });

  it('keeps so many requests open and no more, however many an agent sends', async () => {
    const desk = new PermissionDesk('ask', false);
    for (let n = 0; n < 50; n++) void desk.request(request({ title: `number ${n}` }), signal, () => undefined);
    const waits = recorder();
    expect(await desk.request(request({ title: 'one more' }), signal, waits.call)).toEqual(CANCELLED);
    expect(waits.calls).toEqual([]);
    desk.settle(true);
    void desk.request(request({ title: 'one more' }), signal, waits.call);
    expect(waits.calls).toHaveLength(1);
  });

  it('lets only the owner touch the switchboard’s own files', async () => {
    const own = request({ title: 'edit .a2a/workspace.json' });
    expect(await new PermissionDesk('allow', true).request(own, signal, () => undefined)).toEqual(chosen('allow_once'));
    expect(await new PermissionDesk('allow', false).request(own, signal, () => undefined)).toEqual(
      chosen('reject_once'),
    );
  });
});

function recorder(): { calls: string[]; call: (question: string) => void } {
  const calls: string[] = [];
  return { calls, call: (question) => void calls.push(question) };
}
