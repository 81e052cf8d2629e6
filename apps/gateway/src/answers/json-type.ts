/** Of an answer that is JSON text already. */
export const jsonType = 'application/json; charset=utf-8';
