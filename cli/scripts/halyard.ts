// Runs the CLI from its sources: `npm run -s halyard -- flags list`.
import { runProcess } from '../src/process.ts';

await runProcess();
