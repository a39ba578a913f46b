// What the product can do because some plugin is installed: whoever provides it says so once, at its installation, and
// surfaces offer and declare only what somebody provides.

export type Capability = 'push-notifications' | 'owner-notices';

export interface Capabilities {
  provide(capability: Capability): void;
  has(capability: Capability): boolean;
}

export function createCapabilities(): Capabilities {
  const provided = new Set<Capability>();
  return { provide: (capability) => void provided.add(capability), has: (capability) => provided.has(capability) };
}
