/** The URL of the application in tests. It is not listening there. */
export const PUBLIC_URL = 'http://localhost:4242';
