// Which variables settings and child processes can reach.
import { createEnvironment } from '../src/environment.js';
import { Secrets } from '../src/secrets/secrets.js';

const variables = {
  PATH: '/bin',
  LANG: 'C',
  MODEL_KEY: 'sk-a-model-key',
  EMPTY: '',
  COLOUR: 'dark-green',
  SWITCHBOARD_OPERATOR_KEY: 'the-operator-key',
};

describe('the environment', () => {
  it('gives a named variable and keeps its value out of texts from then on', () => {
    const secrets = new Secrets();
    const environment = createEnvironment(variables, secrets);
    expect(environment.secret('MODEL_KEY')).toBe('sk-a-model-key');
    expect(secrets.redact('it is sk-a-model-key')).not.toContain('sk-a');
  });

  it.each(['EMPTY', 'MISSING', 'toString', '__proto__', 'SWITCHBOARD_OPERATOR_KEY', 'switchboard_operator_key'])(
    'has no %s',
    (name) => {
      const environment = createEnvironment(variables, new Secrets());
      expect(environment.secret(name)).toBeUndefined();
      expect(Object.keys(environment.forChild([name]))).toEqual(['PATH', 'LANG']);
    },
  );

  it('gives a child where programs are and what was named, and no more', () => {
    const secrets = new Secrets();
    const environment = createEnvironment(variables, secrets);
    expect(environment.forChild()).toEqual({ PATH: '/bin', LANG: 'C' });
    expect(environment.forChild(['MODEL_KEY', 'COLOUR'])).toEqual({
      PATH: '/bin',
      LANG: 'C',
      MODEL_KEY: 'sk-a-model-key',
      COLOUR: 'dark-green',
    });
    expect(secrets.redact('sk-a-model-key, dark-green')).toBe('[redacted], dark-green');
  });
});
