/** The domains of a comma-separated list. */
export const domainsOf = (list: string): string[] =>
  list
    .split(',')
    .map(domain => domain.trim().toLowerCase())
    .filter(domain => domain !== '');

/** Whether the domain of the email address is in the list. Subdomains do not match. `*` matches every domain. */
export function isInDomains(email: string, list: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domainsOf(list).some(one => one === '*' || one === domain);
}
