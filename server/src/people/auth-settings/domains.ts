/** The domains of a list that is separated by commas. */
export const domainsOf = (list: string): string[] =>
  list
    .split(',')
    .map(domain => domain.trim().toLowerCase())
    .filter(domain => domain !== '');

/** Whether accounts are made for the address: its domain is in the list, not one below it; * stands for all. */
export function isOfDomain(email: string, list: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domainsOf(list).some(one => one === '*' || one === domain);
}
