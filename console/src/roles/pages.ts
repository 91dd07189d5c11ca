export { RolesPage } from './list.tsx';
export { NewRolePage, RolePage } from './role.tsx';
