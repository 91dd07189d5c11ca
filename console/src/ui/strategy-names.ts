/** The labels of the built-in strategy types, as in the rest of the console. Events contain only the names. */
const LABELS: Record<string, string> = {
  flexibleRollout: 'Gradual rollout',
  default: 'Standard',
  remoteAddress: 'IP addresses',
  applicationHostname: 'Hosts',
};

export const getStrategyLabel = (name: string): string =>
  Object.hasOwn(LABELS, name) ? (LABELS[name] ?? name) : name;
