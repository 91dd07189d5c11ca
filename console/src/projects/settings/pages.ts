// One chunk for the pages of the settings: each further chunk makes the first load larger.
export { AccessPage } from './Access.tsx';
export { DangerPage } from './Danger.tsx';
export { EnvironmentsPage } from './Environments.tsx';
export { GeneralPage } from './General.tsx';
export { NamingPage } from './Naming.tsx';
