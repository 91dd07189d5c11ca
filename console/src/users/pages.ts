export { UsersPage } from './list.tsx';
