import { total } from "./price.js";

export function receipt(shop, prices, rate) {
  return [shop, `Total ${total(prices, rate)}`].join("\n");
}
