// One watch's push config at its peer. The token's hash is on record before the peer gets the token, so that a callback
// that comes after a crash is still known, and the config is taken back whichever process made it.
import { createHash, randomBytes } from 'node:crypto';
import { errorText } from '../../../src/errors.js';
import type { TaskRecord, Watch } from '../../../src/ledger/records.js';
import type { Logger } from '../../../src/log.js';
import type { Core } from '../../../src/plugin.js';
import { RemoteError } from '../../../src/remote/remote-error.js';
import type { Peer } from '../../../src/remote/remote-port.js';

interface CallbacksDeps {
  core: Pick<Core, 'ledger' | 'secrets'>;
  log: Logger;
  /** Where this watch's peer may call back; undefined when nobody can reach this server. */
  url(watch: Watch): string | undefined;
}

export class Callbacks {
  readonly watchId: string;
  private readonly taskId: string;
  private readonly turn: number;
  /** The remote task that has the config, or had it from the last process. */
  private madeFor: string | undefined;
  private made = false;
  private refused = false;

  constructor(
    { task, envelope }: TaskRecord,
    private readonly deps: CallbacksDeps,
  ) {
    this.watchId = envelope.watch?.id ?? '';
    this.taskId = task.id;
    this.turn = envelope.turn;
    if (envelope.watch?.tokenHash !== undefined) this.madeFor = envelope.remote?.taskId;
  }

  /** This process has registered them. */
  get registered(): boolean {
    return this.made;
  }

  /** The peer has not refused them, and could reach this server. */
  possible(watch: Watch): boolean {
    return !this.refused && this.deps.url(watch) !== undefined;
  }

  /** False when the peer does not take them; it is not asked again. */
  async register(peer: Peer, remoteTaskId: string, watch: Watch): Promise<boolean> {
    const url = this.deps.url(watch);
    if (url === undefined) return false;
    const { ledger, secrets } = this.deps.core;
    const token = randomBytes(32).toString('base64url');
    secrets.addPassing(token);
    const tokenHash = createHash('sha256').update(token).digest('hex');
    await ledger.watches.update(this.taskId, this.turn, { watch: { tokenHash } });
    this.madeFor = remoteTaskId;
    try {
      await peer.setPush(remoteTaskId, { id: watch.id, url, token });
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      this.deps.log.warn(
        { cid: this.taskId, agent: peer.agent, reason: error.message },
        'no callbacks from this agent',
      );
      this.refused = true;
      return false;
    }
    this.made = true;
    return true;
  }

  /** Takes the config back, if there may be one. Never throws. */
  async forget(connect: () => Promise<Peer>) {
    const { madeFor } = this;
    if (madeFor === undefined) return;
    this.madeFor = undefined;
    this.made = false;
    try {
      await (await connect()).deletePush(madeFor, this.watchId);
    } catch (error) {
      this.deps.log.info({ cid: this.taskId, reason: errorText(error) }, 'a push config stays at the remote agent');
    }
  }
}
