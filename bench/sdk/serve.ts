// The server without its jobs, which would use CPU time during a measurement.

import { keepCurrent } from '@halyard/plane/serving/state/keep-current.ts';
import { buildApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/platform/config.ts';
import { openDb } from '../../server/src/platform/db/database.ts';
import { listenForChanges } from '../../server/src/publishing/source/database-source.ts';

// Without this, the process would outlive the benchmark.
process.once('disconnect', () => process.exit());
const config = readConfig(process.env);
const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.error(error.message) });
const app = await buildApp(db, config);
await keepCurrent(app.serving, listenForChanges(config.databaseUrl), app.log, app.metrics);
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.send?.(typeof address === 'object' ? address?.port : undefined);
