// The scripted driver as a driver like any other.
import { scriptedDriver } from '../../../plugins/executors/session-runner/drivers/scripted/scripted-driver.js';
import { describeDriver, UNICODE } from './driver-suite.js';

describeDriver({
  name: 'scripted',
  readsFrame: false,
  crash: 'crash',
  start: async () => ({
    driver: scriptedDriver,
    settings: { name: 'scripted' },
    words: {
      answer: 'stream 5',
      question: 'ask which?',
      failure: 'fail no luck',
      endless: 'wait 86400000',
      tool: 'tool search; say found',
      unicode: `say ${UNICODE}`,
    },
    underWay: async () => undefined,
    held: () => 0,
    stop: async () => undefined,
  }),
});
