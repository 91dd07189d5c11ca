// The settings pages share a chunk, because each additional chunk makes the first load larger.
export { AccessPage } from './Access.tsx';
export { DangerPage } from './Danger.tsx';
export { EnvironmentsPage } from './Environments.tsx';
export { GeneralPage } from './General.tsx';
export { NamingPage } from './Naming.tsx';
