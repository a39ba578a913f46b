// What the 1.0 side writes as JSON, as far as the 0.3 side reads it.

export type Json = Record<string, unknown>;

export interface WirePart {
  text?: string;
  raw?: string;
  url?: string;
  data?: unknown;
  filename?: string;
  mediaType?: string;
  metadata?: Json;
}

export interface WireMessage extends Json {
  role: 'ROLE_USER' | 'ROLE_AGENT';
  parts: WirePart[];
}

export interface WireStatus {
  state: string;
  message?: WireMessage;
  timestamp?: string;
}

export interface WireArtifact extends Json {
  parts: WirePart[];
}

export interface WireTask extends Json {
  status: WireStatus;
  artifacts?: WireArtifact[];
  history?: WireMessage[];
}

/** One member is set. */
export interface WireEvent {
  task?: WireTask;
  message?: WireMessage;
  statusUpdate?: Json & { status: WireStatus };
  artifactUpdate?: Json & { artifact: WireArtifact };
}

export interface WirePushConfig {
  taskId: string;
  id?: string;
  url: string;
  token?: string;
  authentication?: { scheme?: string; credentials?: string };
}

export interface WireCard extends Json {
  supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string; tenant?: string }[];
  capabilities?: Json & { extendedAgentCard?: boolean };
  securitySchemes?: Record<string, Record<string, Json>>;
  securityRequirements?: { schemes: Record<string, { list?: string[] }> }[];
  skills: Json[];
}
