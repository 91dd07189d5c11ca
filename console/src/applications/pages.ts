// All pages share a chunk, because each additional chunk makes the first load larger.
export { ApplicationPage } from './application.tsx';
export { ApplicationsPage } from './list.tsx';
export { ProjectApplicationsPage } from './project.tsx';
export { UnknownFlagsPage } from './unknown.tsx';
export { ProjectUsagePage } from './usage.tsx';
