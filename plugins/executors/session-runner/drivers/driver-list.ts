// The drivers a workspace can choose from. A new driver is a folder beside this file and a line in this list.
import type { Driver } from '../../../../src/authoring/driver.js';
import { llmDriver } from './llm/llm-driver.js';
import { scriptedDriver } from './scripted/scripted-driver.js';

export const DRIVERS: readonly Driver[] = [scriptedDriver, llmDriver];
