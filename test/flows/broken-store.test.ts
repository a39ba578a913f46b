// What a client meets when the store fails: an error that says so, and a second try that works.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bindings } from '../conformance/a2a/binding.js';
import { sendParams, useBridgeServer } from '../surfaces/a2a-bridge/bridge-server.js';

const servers = ['JSON-RPC', 'HTTP+JSON'].map((name) => [name, useBridgeServer()] as const);

describe.each(servers)('a message over %s that can not be stored', (name, server) => {
  it('is refused as a failure of storage, leaves no task, and is taken when it is sent again', async () => {
    const binding = bindings(server).find((candidate) => candidate.name === name);
    if (!binding) throw new Error(`no binding ${name}`);
    const journal = join(server.workspace('alpha'), '.a2a', 'journal');
    rmSync(journal, { recursive: true, force: true });
    writeFileSync(journal, 'a file where a folder has to be');
    const params = sendParams('hello');
    const refused = await binding.call('SendMessage', params);
    expect([refused.answer.status, refused.error?.reason]).toEqual([503, 'STORAGE_FAILED']);
    expect((await server.send('GET', '/readyz', { key: '' })).status).toBe(503);
    rmSync(journal);
    mkdirSync(journal);
    const { result } = await binding.call('SendMessage', params);
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await binding.call('ListTasks')).result.totalSize).toBe(1);
    expect((await server.send('GET', '/readyz', { key: '' })).status).toBe(200);
  });
});
