// The operator API's document, from its route table alone: no route runs, so no core is needed.
import { openApiDocument } from '../../plugins/surfaces/operator-api/openapi.js';
import { operatorRoutes } from '../../plugins/surfaces/operator-api/operator-api.js';
import type { Core } from '../../src/plugin.js';

export const operatorDocument = (): Record<string, unknown> =>
  openApiDocument(operatorRoutes({} as Core, () => undefined));
