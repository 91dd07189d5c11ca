/** Splits a comma-separated list of domains. */
export const parseDomains = (list: string): string[] =>
  list
    .split(',')
    .map(domain => domain.trim().toLowerCase())
    .filter(domain => domain !== '');

/** Returns whether the domain of the email address is in the list. Subdomains do not match. `*` matches every domain. */
export function isInDomains(email: string, list: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return parseDomains(list).some(entry => entry === '*' || entry === domain);
}
