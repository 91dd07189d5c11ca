import type { OutgoingRequest, OutgoingResponse } from '../../../platform/outgoing/send.ts';

/** An event as receivers get it: the same as in the log, but without the caller's IP address. */
export type DeliveredEvent = {
  id: number;
  createdAt: string;
  type: string;
  createdBy: string;
  createdByUserId: number | null;
  createdByKind?: string | null;
  /** The token that createdBy used, or the agent's name. */
  createdByToken?: { id: number; name: string };
  createdByClient?: string;
  environment: string | null;
  project: string | null;
  featureName: string | null;
  data: object | null;
  preData: object | null;
  tags: { type: string; value: string }[];
  groupId: string;
  /** The reason that the caller gave for the change. */
  comment?: string;
};

export type Parameters = Record<string, string>;

export type DeliveryContext = {
  event: DeliveredEvent;
  /** A short name for the event. */
  label: string;
  /** One line of Markdown, including the change's comment. */
  summary: string;
  parameters: Parameters;
  /** The URL of this installation for users. */
  publicUrl: string;
  isTest: boolean;
};

/** One request of a delivery. Most deliveries have one; chat providers send one per channel. */
export type PlannedRequest = OutgoingRequest & {
  /** The channel, if there are several. */
  channel?: string;
  /**
   * Reads the reason for a rejection from the response body, regardless of the status. Returns undefined if the body gives none.
   */
  rejection?: (response: OutgoingResponse) => Rejection | undefined;
};

/** Thrown if no request can be created and a retry would not help. The delivery record shows the message. */
export class PlanError extends Error {}

/** The server does not retry a request after a permanent rejection, because it would be rejected again. */
export type Rejection = { message: string; isPermanent: boolean };

export type Plan = { requests: PlannedRequest[]; details: Record<string, unknown> };

/** Creates the requests that deliver an event. */
export type PlanRequests = (context: DeliveryContext) => Plan;

export type ParameterDefinition = {
  name: string;
  displayName: string;
  type: 'text' | 'textfield' | 'url' | 'headers' | 'template';
  description: string;
  placeholder?: string;
  required: boolean;
  sensitive: boolean;
};

export type Provider = {
  name: string;
  displayName: string;
  description: string;
  /** What to do in the receiving system, and what to enter. */
  howTo: string;
  parameters: ParameterDefinition[];
  /** The tag types that the first integration of this provider creates. */
  tagTypes: { name: string; description: string; icon: string }[];
  /** Whether requests are signed according to Standard Webhooks. */
  signed: boolean;
  plan: PlanRequests;
};
