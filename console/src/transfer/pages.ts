export { ExportPage } from './export.tsx';
export { ImportPage } from './import.tsx';
