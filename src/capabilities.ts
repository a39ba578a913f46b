// What the product can do because some plugin is installed: whoever provides it says so once, at its installation, and
// surfaces offer and declare only what somebody provides.

export type Capability = 'push-notifications' | 'owner-notices';

export interface Capabilities {
  /** The returned function takes it back. */
  provide(capability: Capability): () => void;
  has(capability: Capability): boolean;
}

export function createCapabilities(): Capabilities {
  const providers = new Set<{ capability: Capability }>();
  return {
    provide(capability) {
      const provider = { capability };
      providers.add(provider);
      return () => void providers.delete(provider);
    },
    has: (capability) => [...providers].some((provider) => provider.capability === capability),
  };
}
