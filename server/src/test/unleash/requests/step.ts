export type Caller = 'admin' | 'nobody' | 'member' | 'viewer' | 'backend' | 'frontend';

export type Step = {
  /** The method and path, as in docs/reference/compatibility.md. */
  operation: string;
  params?: Record<string, string>;
  query?: string;
  body?: unknown;
  as?: Caller;
  /** The variables for later requests, each with its path in the response. */
  keep?: Record<string, string>;
};

export type Request = Step & {
  /** The name of this case. Generated cases (rejections, omitted fields) are named automatically. */
  name?: string;
  /** Whether only this case is sent. */
  only?: boolean;
  /** The cases that are not sent. */
  skip?: string[];
  /** The steps that are sent before each case. */
  setupSteps?: Step[];
  /** Whether later requests depend on this request. If so, its response is not recorded. */
  isSetup?: boolean;
};

/** A pause in the requests until the response to a step contains a string. */
export type Until = { until: { step: Step; contains: string } };
