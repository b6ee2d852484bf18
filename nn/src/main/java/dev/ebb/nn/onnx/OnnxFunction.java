package dev.ebb.nn.onnx;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.onnx.OnnxNode.Attribute;
import dev.ebb.nn.onnx.wire.Protobuf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An op that a model defines by nodes.
 *
 * @param op its name, after its domain unless that is the standard's
 * @param overload distinguishes functions of the same name; usually empty
 * @param inputs the names of its inputs in its nodes
 * @param outputs the names of its outputs
 * @param defaults the values of attributes that a call does not set
 * @param opset the version of the standard's ops for its nodes
 */
record OnnxFunction(
        String op,
        String overload,
        List<String> inputs,
        List<String> outputs,
        Map<String, Attribute> defaults,
        List<OnnxNode> nodes,
        long opset) {

    static OnnxFunction read(Path file, Protobuf in) throws FileFormatException {
        var name = "";
        var domain = "";
        var overload = "";
        var inputs = new ArrayList<String>();
        var outputs = new ArrayList<String>();
        var defaults = new LinkedHashMap<String, Attribute>();
        var nodes = new ArrayList<OnnxNode>();
        long opset = 0;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> name = in.text();
                case 4 -> inputs.add(in.text());
                case 5 -> outputs.add(in.text());
                case 7 -> nodes.add(OnnxNode.read(file, in.inside(), nodes.size()));
                case 9 -> opset = Math.max(opset, OnnxModel.opset(in.inside()));
                case 10 -> domain = in.text();
                case 11 -> OnnxNode.attribute(file, in.inside(), defaults);
                case 13 -> overload = in.text();
                default -> {}
            }
        }
        return new OnnxFunction(
                OnnxNode.named(domain, name),
                overload,
                List.copyOf(inputs),
                List.copyOf(outputs),
                Map.copyOf(defaults),
                List.copyOf(nodes),
                opset);
    }
}
