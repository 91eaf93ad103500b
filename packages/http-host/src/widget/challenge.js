"use strict";(()=>{var o="counterfoil/1";function e(n,r,t){n.postMessage({[o]:r},t)}parent!==window&&e(parent,{type:"returned"},location.origin);})();
