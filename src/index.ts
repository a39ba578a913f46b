// The library's door: the same switchboard inside another program, and what plugin authors import.
export { createSwitchboard, type Switchboard, type SwitchboardOptions } from './main.js';
export * from './authoring/authoring.js';
