export { ServiceAccountPage } from './account.tsx';
export { ServiceAccountsPage } from './list.tsx';
