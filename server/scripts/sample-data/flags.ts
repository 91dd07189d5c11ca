/** The sample flags: project, name, type, description, and how many days ago each was created. */
export const FLAGS = [
  ['payments', 'fraud-score-threshold', 'operational', 'Blocks payments above the score', 58],
  ['payments', 'old-card-form', 'release', 'The card form of 2024', 57],
  ['payments', 'invoice-v2', 'release', 'Invoices with line items per merchant', 45],
  ['payments', 'sepa-instant', 'release', 'Transfers within ten seconds', 38],
  ['payments', 'refunds-self-service', 'experiment', 'Customers start refunds themselves', 33],
  ['payments', 'checkout-express', 'release', 'One-tap checkout for returning customers', 31],
  ['payments', 'wallet-top-up', 'permission', '', 12],
  ['search', 'query-cache', 'operational', 'Keeps results of frequent queries for a minute', 56],
  ['search', 'semantic-ranking', 'experiment', 'Ranks results by meaning', 41],
  ['search', 'did-you-mean', 'release', 'Suggests a spelling', 29],
  ['search', 'typo-tolerance', 'release', 'Finds results with one wrong letter', 22],
  ['search', 'result-previews', 'experiment', '', 9],
  ['mobile', 'offline-mode', 'kill-switch', 'Lets people read without a network', 55],
  ['mobile', 'biometric-login', 'release', 'Face and fingerprint', 47],
  ['mobile', 'push-digest', 'experiment', 'One notification in the morning', 26],
  ['mobile', 'new-tab-bar', 'release', 'Five tabs instead of a menu', 18],
  ['mobile', 'dark-icons', 'release', '', 6],
] as const;

export const ENVIRONMENTS = ['development', 'staging', 'production'] as const;

export const PROJECTS = [
  ['payments', 'Payments', 'Checkout, invoices and refunds'],
  ['search', 'Search', 'Queries, ranking and suggestions'],
  ['mobile', 'Mobile apps', 'The apps for iOS and Android'],
] as const;

export const buildFeaturePath = (project: string, feature: string): string =>
  `/api/admin/projects/${project}/features/${feature}`;
