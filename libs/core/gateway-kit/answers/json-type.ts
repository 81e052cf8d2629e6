/** The content type of an answer whose body is already JSON text. */
export const jsonType = 'application/json; charset=utf-8';
