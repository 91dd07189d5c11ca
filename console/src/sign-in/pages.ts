export { OidcPage } from './oidc.tsx';
export { OriginsPage } from './origins.tsx';
export { PasswordsPage } from './passwords.tsx';
