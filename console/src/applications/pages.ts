// One chunk for both pages: each further chunk makes the first load larger.
export { ApplicationPage } from './application.tsx';
export { ApplicationsPage } from './list.tsx';
