// What a plugin declared that it needs, and what of it is missing.
import type { Capability } from '../capabilities.js';
import type { Needs } from '../plugin.js';

interface Surroundings {
  hasPlugin(name: string): boolean;
  hasCapability(capability: Capability): boolean;
  settings: Readonly<Record<string, unknown>>;
  variable(name: string): string | undefined;
}

/** One phrase for each need that is not met. */
export function missingNeeds(plugin: string, needs: Needs, around: Surroundings): string[] {
  const { plugins = [], capabilities = [], config = [], env = [] } = needs;
  return [
    ...plugins.filter((name) => !around.hasPlugin(name)).map((name) => `the plugin ${name}`),
    ...capabilities.filter((one) => !around.hasCapability(one)).map((one) => `the capability ${one}`),
    ...config
      .filter((key) => !Object.hasOwn(around.settings, key))
      .map((key) => `the setting pluginSettings.${plugin}.${key} in switchboard.json`),
    ...env.filter((name) => around.variable(name) === undefined).map((name) => `the environment variable ${name}`),
  ];
}
