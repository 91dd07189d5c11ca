/** How many days a feature may be enabled everywhere, disabled everywhere, or identical to its source before a rule reports it. */
export const UNCHANGED_DAYS = 30;
/** How many days a new feature may remain unused before a rule reports it. */
export const NEW_DAYS = 7;
/** A feature counts as in use if an SDK requested it within this many days. */
export const IN_USE_DAYS = 7;

export type RuleName =
  | 'stale'
  | 'past-lifetime'
  | 'enabled-everywhere'
  | 'disabled-everywhere'
  | 'never-seen'
  | 'outside-production'
  | 'constant-result'
  | 'archived-in-use'
  | 'no-strategies'
  | 'unreadable-strategy'
  | 'imported-as-is'
  | 'archived-parent'
  | 'duplicate-of-clone'
  | 'no-owner'
  | 'unused-segment';

export type Rule = {
  name: RuleName;
  description: string;
  remedy: string;
  /** Whether the findings of the rule reduce the health. */
  counts: boolean;
  subject: 'feature' | 'segment';
};

/** The rules with their descriptions and remedies. The queries are in store.ts. */
export const RULES: readonly Rule[] = [
  {
    name: 'stale',
    description: 'The flag is marked as stale.',
    remedy: 'Remove the flag from the code, then archive it. Or unmark it as stale.',
    counts: true,
    subject: 'feature',
  },
  {
    name: 'past-lifetime',
    description: 'The flag is older than the lifetime of its type and not marked as stale.',
    remedy:
      'Remove the flag from the code, then archive it. Or give it a type with a longer lifetime if it is permanent.',
    counts: true,
    subject: 'feature',
  },
  {
    name: 'enabled-everywhere',
    description: `The flag has been enabled in every environment for ${UNCHANGED_DAYS} days, and its type has a limited lifetime.`,
    remedy: 'Make the enabled code path the only one, then archive the flag.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'disabled-everywhere',
    description: `The flag has been disabled in every environment for ${UNCHANGED_DAYS} days, and its type has a limited lifetime.`,
    remedy: 'Remove the disabled code path, then archive the flag.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'never-seen',
    description: `No SDK has requested the flag, and it is older than ${NEW_DAYS} days.`,
    remedy: 'Archive the flag if no code uses it.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'outside-production',
    description: `SDKs request the flag only outside production, and it is older than ${UNCHANGED_DAYS} days.`,
    remedy:
      'Release the code that uses the flag to production, or remove the flag from the code and archive it.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'constant-result',
    description: `Every evaluation in production has had the same result for ${UNCHANGED_DAYS} days, and the type of the flag has a limited lifetime.`,
    remedy: 'Make the code path of this result the only one, then archive the flag.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'archived-in-use',
    description: `The flag is archived, and applications have requested it in the last ${IN_USE_DAYS} days.`,
    remedy: 'Remove the flag from the code of these applications before you delete it. Or revive it.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'no-strategies',
    description: `The flag has no enabled strategy in any environment, and it is older than ${NEW_DAYS} days.`,
    remedy: 'Add a strategy, or archive the flag.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'unreadable-strategy',
    description:
      'An enabled strategy of the flag, or a segment it uses, has a string that SDKs for Java, .NET, Python, Ruby and Rust cannot read. These SDKs disable the flag; the others evaluate it.',
    remedy:
      'Remove the quotation mark or the backslash from the strings in the evidence, in the strategy or the segment.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'imported-as-is',
    description:
      'The flag was imported with --accept although it violates rules. SDKs evaluate it as before, but it cannot be edited until the violations are fixed.',
    remedy:
      'Change the strategies, variants, segments or dependencies listed in the evidence, or archive the flag.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'archived-parent',
    description: 'The flag depends on an archived flag.',
    remedy: 'Remove the dependency, or revive the parent.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'duplicate-of-clone',
    description: `The flag is a copy that has had the same strategies and variants as its source for ${UNCHANGED_DAYS} days.`,
    remedy: 'Archive one of the two flags, or change one of them.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'no-owner',
    description: 'The flag has no owner, although other flags in the project have one.',
    remedy: 'Assign a user or a group that is responsible for the flag.',
    counts: false,
    subject: 'feature',
  },
  {
    name: 'unused-segment',
    description: 'No enabled strategy of an active flag uses this segment of the project.',
    remedy: 'Remove the segment from the strategies that still refer to it, then delete it.',
    counts: false,
    subject: 'segment',
  },
];
