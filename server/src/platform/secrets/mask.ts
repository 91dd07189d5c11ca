/** What answers and events show in place of a secret; who sends it back leaves the secret as it is. */
export const MASK = '*****';
