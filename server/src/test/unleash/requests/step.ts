export type Caller = 'admin' | 'nobody' | 'member' | 'viewer' | 'backend' | 'frontend';

export type Step = {
  /** Method and path, as in docs/reference/compatibility.md. */
  operation: string;
  params?: Record<string, string>;
  query?: string;
  body?: unknown;
  as?: Caller;
  /** Variables for later requests, each with its path in the response. */
  keep?: Record<string, string>;
};

export type Request = Step & {
  /** The name of the case. The rejections and omissions of a request have their own names. */
  name?: string;
  /** Sends only this case. */
  only?: boolean;
  /** Cases that are not sent. */
  skip?: string[];
  /** Sent before each case. */
  given?: Step[];
  /** Later requests depend on it. It is not recorded. */
  isSetup?: boolean;
};

/** Waits until the response to a step contains a string. */
export type Until = { until: { step: Step; has: string } };
