// Links to items and partitions, for every view.
import { href } from "./router.js";

/**
 * The text of a key value, as links contain it.
 * @param {any} value such as {"S": "USER#1"}
 */
export const keyText = (value) => String(Object.values(value ?? {})[0] ?? "");

/**
 * The text that identifies a primary key.
 * @param {Record<string, any>} key
 */
export const keyId = (key) => JSON.stringify(key);

/**
 * The link to a partition of a table, or of one of its indexes.
 * @param {string} table
 * @param {string[]} partition the values of the partition key, as text
 * @param {string | null} [index]
 * @param {Record<string, any>} [params]
 */
export const partitionHref = (table, partition, index = null, params = {}) =>
  href("items", [table, ...partition], { index, ...params });

/**
 * The link to an item, in its partition.
 * @param {string} table
 * @param {Record<string, any>} key the primary key in DynamoDB's JSON, the partition key first
 */
export const itemHref = (table, key) => partitionHref(table, [keyText(Object.values(key)[0])], null, { item: keyId(key) });

/**
 * The link to what a value leads to: an item, or a partition.
 * @param {{table: string, partition: string[], key: Record<string, any> | null}} link
 */
export const linkHref = (link) => (link.key ? itemHref(link.table, link.key) : partitionHref(link.table, link.partition));

/**
 * The link to the versions of an item, in the view Time.
 * @param {string} table
 * @param {Record<string, any>} key the primary key in DynamoDB's JSON, the partition key first
 */
export const historyHref = (table, key) => href("time", [table, ...Object.values(key).map(keyText)]);
