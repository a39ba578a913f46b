// What the owner says about an ACP agent in workspace.json: how it is started, what it may see of the environment, and
// who decides when it asks for permission.
import { z } from 'zod';
import { RunFailure } from '../../../../../src/executors/contract.js';

const words = (what: string) => z.string(`must be ${what}`);

const schema = z.object({
  name: z.string(),
  command: words('a program').min(1, 'must be a program'),
  args: z.array(words('a list of texts'), 'must be a list of texts').default([]),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a variable’s name'), 'must be a list of names')
    .default([]),
  permissions: z.enum(['allow', 'deny', 'ask'], 'must be allow, deny or ask').default('ask'),
  model: words('a text').min(1, 'must not be empty').optional(),
  mode: words('a text').min(1, 'must not be empty').optional(),
});

/** `permissions`: whether what the agent asks for is granted, refused, or left to the operator. */
export type AcpSettings = Readonly<z.infer<typeof schema>>;

/** Throws a RunFailure `driver-settings` that names every problem. */
export function readAcpSettings(driver: object): AcpSettings {
  const read = schema.safeParse(driver);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `"${path.join('.')}" ${message}`);
  throw new RunFailure(`The workspace's driver can't be used: ${problems.join(', ')}.`, 'driver-settings');
}
